# bash completion for headlight(1)                                          -*- shell-script -*-

_headlight() {
  local cur prev words cword
  _init_completion || return

  local stages='embeddings queries keys values rotated_queries rotated_keys scores scaled capped biased masked weights
    dropped context concat output'
  local command='' word
  for word in "${words[@]:1:cword-1}"; do
    case $word in
      export | compute | gradients | patches | train | init | heads | ask | check | handout | answers | print | manual)
        command=$word
        break
        ;;
    esac
  done

  case $prev in
    --stage)
      [[ $command == export ]] && stages+=' all'
      [[ $command == ask ]] && stages='residual attention mlp queries keys values pattern output'
      # Of a list that is being typed, the last name.
      local begun=
      [[ $cur == *,* ]] && begun=${cur%,*},
      mapfile -t COMPREPLY < <(compgen -P "$begun" -W "$stages" -- "${cur##*,}")
      return
      ;;
    --theme) mapfile -t COMPREPLY < <(compgen -W 'dark light' -- "$cur") && return ;;
    --optimizer) mapfile -t COMPREPLY < <(compgen -W 'adamw adam sgd' -- "$cur") && return ;;
    --schedule) mapfile -t COMPREPLY < <(compgen -W 'constant cosine' -- "$cur") && return ;;
    --order) mapfile -t COMPREPLY < <(compgen -W 'random sequential' -- "$cur") && return ;;
    --family) mapfile -t COMPREPLY < <(compgen -W 'gpt2' -- "$cur") && return ;;
    --ablation) mapfile -t COMPREPLY < <(compgen -W 'mean zero' -- "$cur") && return ;;
    --measure) mapfile -t COMPREPLY < <(compgen -W 'loss logit' -- "$cur") && return ;;
    --changes) _filedir headlight && return ;;
    --data | --tokenizer | --texts | --from-texts) _filedir && return ;;
    --dtype) mapfile -t COMPREPLY < <(compgen -W 'f32 f16' -- "$cur") && return ;;
    --sort)
      mapfile -t COMPREPLY < <(compgen -W 'number previous_token first_token duplicate_token induction diagonal entropy
        distance like_picture' -- "$cur")
      return
      ;;
    --like) mapfile -t COMPREPLY < <(compgen -W 'mask' -- "$cur") && return ;;
    --layout) mapfile -t COMPREPLY < <(compgen -W 'bhtd bthd thd htd btd tbd' -- "$cur") && return ;;
    --mask-as) mapfile -t COMPREPLY < <(compgen -W 'added allowed forbidden' -- "$cur") && return ;;
    --causal-corner) mapfile -t COMPREPLY < <(compgen -W 'lower-right upper-left' -- "$cur") && return ;;
    --mask-true) mapfile -t COMPREPLY < <(compgen -W 'allowed forbidden' -- "$cur") && return ;;
    --tokens) _filedir && return ;;
    --as) mapfile -t COMPREPLY < <(compgen -W 'numbers pytorch numpy' -- "$cur") && return ;;
    --kind) mapfile -t COMPREPLY < <(compgen -W 'heads pipeline flow row map' -- "$cur") && return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W 'png svg pdf csv tsv npy npz json tex md' -- "$cur") && return ;;
    --preset) mapfile -t COMPREPLY < <(compgen -W 'comfortable slide one_column two_columns poster readme' -- "$cur") && return ;;
    --background) mapfile -t COMPREPLY < <(compgen -W 'white dark transparent' -- "$cur") && return ;;
    --colormap)
      mapfile -t COMPREPLY < <(compgen -W 'viridis cividis magma grey blues greys reds green blue_green blue_orange purple_green rdbu
        puor' -- "$cur")
      return
      ;;
    --range) mapfile -t COMPREPLY < <(compgen -W 'auto whole robust symmetric log' -- "$cur") && return ;;
    --grid-lines) mapfile -t COMPREPLY < <(compgen -W 'auto on off' -- "$cur") && return ;;
    --hide) mapfile -t COMPREPLY < <(compgen -W 'title subtitle labels axes bar numbers' -- "$cur") && return ;;
    --automation) _filedir -d && return ;;
    --screenshot) _filedir png && return ;;
    --image) _filedir '@(png|jpg|jpeg|npy)' && return ;;
    -o | --output) _filedir && return ;;
    --compare) _filedir headlight && return ;;
    --steps | --batch | --length | --rate | --betas | --decay | --momentum | --clip | --warmup | --seed | --save-every | --save-at | --held-out | --deviation | --width | --positions | --vocabulary | \
      --heads | --kv-heads | --text | --ids | --decoder-ids | --token-types | --from | --from-ids | --target | --against | --layer | --layers | --top | --repeated | --strength | --head | --sequence | --rows | --columns | --query | --panel-columns | --panel-title | --row-stages | --height | --cell | --dpi | --scale | --size | --text-size | --font | --font-size | --title | \
      --subtitle | --decimals) return ;;
  esac

  if [[ $command == manual && $cur != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'index window stages lessons models arrays figures command-line files python keys' -- "$cur")
    return
  fi
  if [[ $cur == -* ]]; then
    local options='--help' arrays='--causal --causal-corner --heads --kv-heads --layout --mask-as --mask-true --sequence --tokens'
    case $command in
      export)
        options+=' --stage --head --output --format --force --kind --compare --query --rows --columns --preset --width --height --cell
          --dpi --scale --font --font-size --theme --background --colormap --range --own-range --by-value --without-first --without-first-key --decimals
          --title --subtitle --hide --grid-lines --panel-columns --panel-title --columns-below --row-stages --text --ids --layer'
        options+=" $arrays"
        ;;
      compute) options+=" --output --force --text --ids --decoder-ids --token-types --image --changes --layers --layer $arrays" ;;
      heads) options+=" --output --force --sort --ascending --like --text --ids --layer $arrays" ;;
      ask)
        options+=' --text --ids --texts --repeated --seed --from --from-ids --from-texts --target --against --layer --head --top --stage --normalized
          --ablation --mean-over --together --measure --words --embeddings --tokens --strength --changes --output --force --preset --width --height --cell --dpi --scale --font --font-size'
        ;;
      gradients) options+=' --output --force --text --ids' ;;
      patches) options+=' --output --force --text --ids --from --from-ids --target --against --changes --each' ;;
      train)
        options+=' --data --steps --batch --length --rate --optimizer --betas --decay --momentum --clip --warmup --schedule --order --seed
          --save-every --save-at --held-out --continue --dtype --output --force'
        ;;
      init) options+=' --family --layers --heads --width --positions --vocabulary --data --whole-words --tokenizer --deviation --seed --force' ;;
      handout) options+=' --output --force' ;;
      answers) options+=' --output --anonymous --force' ;;
      check | manual) ;;
      print) options+=" --stage --head --without-first-key --as --output --force --text --ids --layer --top $arrays" ;;
      *) options+=" --version --theme --scale --size --text-size --screenshot --apply --automation --layer $arrays" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    return
  fi
  if [[ $command == train || $command == init || $command == patches ]]; then
    _filedir -d
    return
  fi
  if [[ $command == ask ]]; then
    _filedir -d
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'loss lens parts patches ablation measures circuit composition neurons norms moved direction rollout' -- "$cur")
    return
  fi
  if [[ -n $command ]]; then
    _filedir '@(headlight|gguf)'
    return
  fi
  _filedir '@(headlight|npy|npz|safetensors|csv|tsv|gguf)'
  ((cword == 1)) && mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W 'export compute gradients patches train init heads ask check handout answers print manual' -- "$cur")
} &&
  complete -F _headlight headlight
