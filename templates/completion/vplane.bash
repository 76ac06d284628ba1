# bash completion for vplane (bash 3.2 and newer)
#
# In this shell:  source <(vplane completion bash)
# In every shell: vplane completion bash > ~/.local/share/bash-completion/completions/vplane
#   with the package bash-completion; without it, put the first line into ~/.bashrc
#
# kubectl completes "kubectl vplane" by itself, when kubectl_complete-vplane is on PATH.

_vplane() {
  local words=() word='' piece is_joined='' i

  # What comes after -- is a command line of its own; the package bash-completion can complete that.
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]] && declare -F _command_offset &>/dev/null; then
      _command_offset $((i + 1))
      return
    fi
  done

  # bash cuts words at = and : as well. Here they are put together again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    piece=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $piece == [=:] || $is_joined == yes ]]; then
      word+=$piece
    else
      ((i > 1)) && words+=("$word")
      word=$piece
    fi
    is_joined=
    [[ $piece == [=:] ]] && is_joined=yes
  done

  # What bash does not see as part of the word must not be in the answer.
  local cut=${word%"${word##*[=:]}"} line directive=4
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :[0-9] | :[0-9][0-9]) directive=${line#:} ;;
      *)
        line=${line%%$'\t'*}
        printf -v line '%q' "${line#"$cut"}"
        COMPREPLY+=("$line")
        ;;
    esac
  done < <(vplane __complete --word="$word" -- ${words[@]+"${words[@]}"} 2>/dev/null)

  if type compopt &>/dev/null; then
    case $directive in
      0) compopt -o default ;;
      6) compopt -o nospace ;;
      16) compopt -o dirnames ;;
    esac
  fi
}

complete -F _vplane vplane
