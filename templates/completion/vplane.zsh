#compdef vplane
# zsh completion for vplane
#
# In this shell:  source <(vplane completion zsh)
# In every shell: vplane completion zsh > ~/.zsh/completions/_vplane
#   with these lines in ~/.zshrc:
#     fpath=(~/.zsh/completions $fpath)
#     autoload -U compinit && compinit
#
# kubectl completes "kubectl vplane" by itself, when kubectl_complete-vplane is on PATH.

_vplane() {
  local line value directive=4
  local -a lines candidates
  lines=("${(@f)$(vplane __complete --word="${(Q)words[CURRENT]}" -- "${(@Q)words[2,CURRENT-1]}" 2>/dev/null)}")
  for line in $lines; do
    value=${line%%$'\t'*}
    case $line in
      :[0-9] | :[0-9][0-9]) directive=${line#:} ;;
      *$'\t'*) candidates+=("${value//:/\\:}:${line#*$'\t'}") ;;
      *) candidates+=("${value//:/\\:}") ;;
    esac
  done
  case $directive in
    0)
      (($#candidates)) && _describe vplane candidates
      _files
      ;;
    6) _describe vplane candidates -S '' ;;
    16) _files -/ ;;
    *) _describe vplane candidates ;;
  esac
}

if [[ $funcstack[1] == _vplane ]]; then
  _vplane "$@"
else
  compdef _vplane vplane
fi
