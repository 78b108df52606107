#include "app/terminal/manual_page.h"

#include <md4c.h>

#include <algorithm>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

// Collects md4c's callbacks. Paragraphs in list items become Item blocks, so that a page is a flat list.
class PageBuilder {
 public:
  explicit PageBuilder(ManualPage& page) : page_(page) {}

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_UL:
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        lists_.push_back({true, static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI:
        bullet_ = lists_.back().ordered ? std::to_string(lists_.back().next++) + "." : "•";
        begin_text();
        break;
      case MD_BLOCK_H:
        begin(ManualBlock::Kind::Heading).level =
            static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        break;
      case MD_BLOCK_P:
        begin_text();
        break;
      case MD_BLOCK_CODE:
        begin(ManualBlock::Kind::Code);
        break;
      case MD_BLOCK_TABLE:
        begin(ManualBlock::Kind::Table);
        break;
      case MD_BLOCK_TR:
        page_.blocks.back().rows.emplace_back();
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        page_.blocks.back().rows.back().emplace_back();
        text_ = &page_.blocks.back().rows.back().back();
        break;
      default:
        break;
    }
  }

  void leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) lists_.pop_back();
    if (type == MD_BLOCK_LI) bullet_.clear();
  }

  void enter(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_STRONG) styles_.push_back(ManualStyle::Strong);
    if (type == MD_SPAN_EM) styles_.push_back(ManualStyle::Emphasis);
    if (type == MD_SPAN_CODE) styles_.push_back(ManualStyle::Code);
    if (type == MD_SPAN_A) link_ = link_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    if (type == MD_SPAN_IMG) {
      // A picture is alone in its paragraph: the manual has no pictures within a line.
      page_.blocks.back().kind = ManualBlock::Kind::Picture;
      page_.blocks.back().file = text_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
    }
  }

  void leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_STRONG || type == MD_SPAN_EM || type == MD_SPAN_CODE) styles_.pop_back();
    if (type == MD_SPAN_A) link_.clear();
  }

  void add(MD_TEXTTYPE type, std::string text) {
    if (!text_) return;
    if (type == MD_TEXT_SOFTBR) text = " ";
    if (type == MD_TEXT_BR) text = "\n";
    const ManualStyle style = styles_.empty() ? ManualStyle::Plain : styles_.back();
    if (!text_->empty() && text_->back().style == style && text_->back().link == link_)
      text_->back().text += text;
    else
      text_->push_back({std::move(text), style, link_});
  }

 private:
  struct List {
    bool ordered = false;
    unsigned next = 1;
  };

  static std::string text_of(const MD_ATTRIBUTE& attribute) { return {attribute.text, attribute.size}; }

  // "figures.md#png" names the page "figures".
  static std::string link_of(const MD_ATTRIBUTE& href) {
    const std::string link = text_of(href);
    const std::size_t end = link.find(".md");
    return end == std::string::npos || link.find("://") != std::string::npos ? link : link.substr(0, end);
  }

  ManualBlock& begin(ManualBlock::Kind kind) {
    page_.blocks.emplace_back().kind = kind;
    text_ = &page_.blocks.back().text;
    return page_.blocks.back();
  }

  // The first paragraph of a loose list item uses the item's block; md4c reports none for a tight item.
  void begin_text() {
    if (!page_.blocks.empty() && page_.blocks.back().kind == ManualBlock::Kind::Item &&
        page_.blocks.back().text.empty() && !lists_.empty())
      return;
    ManualBlock& block = begin(lists_.empty() ? ManualBlock::Kind::Paragraph : ManualBlock::Kind::Item);
    block.level = std::max<int>(1, static_cast<int>(lists_.size()));
    block.bullet = std::exchange(bullet_, "");
  }

  ManualPage& page_;
  ManualText* text_ = nullptr;  // of the current block or cell
  std::vector<List> lists_;
  std::vector<ManualStyle> styles_;
  std::string link_, bullet_;
};

PageBuilder& builder(void* page) {
  return *static_cast<PageBuilder*>(page);
}

}  // namespace

std::string plain_text(const ManualText& text) {
  std::string plain;
  for (const ManualRun& run : text)
    plain += run.text;
  return plain;
}

std::string ManualPage::title() const {
  const auto heading = std::find_if(blocks.begin(), blocks.end(), [](const ManualBlock& block) {
    return block.kind == ManualBlock::Kind::Heading;
  });
  return heading == blocks.end() ? name : plain_text(heading->text);
}

ManualPage parse_manual_page(std::string name, const std::string& markdown) {
  ManualPage page{std::move(name), {}};
  PageBuilder page_builder(page);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* to) {
    builder(to).enter(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* to) {
    builder(to).leave(type);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* to) {
    builder(to).enter(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* to) {
    builder(to).leave(type);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* to) {
    builder(to).add(type, std::string(text, size));
    return 0;
  };
  if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &page_builder) != 0)
    throw Error("this page of the manual cannot be read: there is too little memory", page.name + ".md", "");
  return page;
}

}  // namespace headlight
