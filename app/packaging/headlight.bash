# bash completion for headlight(1)                                          -*- shell-script -*-

# The program says what may follow, as it parses it; files and folders are the shell's.
_headlight() {
  local cur prev words cword candidate endings
  _init_completion || return
  while IFS= read -r candidate; do
    case $candidate in
      @folders) _filedir -d ;;
      @files) _filedir ;;
      @files\ *)
        endings=${candidate#@files }
        _filedir "@(${endings// /|})"
        ;;
      *) COMPREPLY+=("$candidate") ;;
    esac
  done < <("$1" --complete "${words[@]:1:cword}" 2>/dev/null)
} &&
  complete -F _headlight headlight
