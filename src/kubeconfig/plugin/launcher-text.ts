/** The vplane that a launcher starts: the one that wrote it last. */
export interface LauncherTarget {
  /** The node that runs it. */
  node: string
  /** The script of its command line. */
  script: string
}

/**
 * The script that contexts name as their credential plugin.
 *
 * What has to be looked at before a kept credential may be handed out takes a shell two milliseconds, and Node.js fifty.
 * So vplane leaves its answer beside the access (`writeQuickAnswer`), and the script says it again while it holds: the
 * credential is not due, the processes that were looked at are the same, nothing is the matter with the tunnel, and the
 * client is about to connect to that very address. It takes /proc and GNU's date; in any doubt, vplane is asked.
 */
export function launcherText({ node, script }: LauncherTarget): string {
  return `#!/bin/sh
# The credential plugin of kubeconfig contexts that vplane wrote. vplane keeps it up to date.
node=${quoted(node)}
script=${quoted(script)}

# What vplane answered last, when it still holds.
quick_answer() {
  answer_file "$@" || return
  {
    read -r format && IFS= read -r server && read -r due && read -r boot && read -r processes &&
      IFS= read -r unless && IFS= read -r beginning
  } 2>/dev/null <"$file" || return
  read -r this_boot 2>/dev/null </proc/sys/kernel/random/boot_id || return
  [ "$format" = 1 ] && [ "$boot" = "$this_boot" ] || return
  case \${KUBERNETES_EXEC_INFO-} in
  '' | *'"server":"'"$server"'"'*) ;;
  *) return 1 ;;
  esac
  if [ -n "$unless" ] && [ -e "$unless" ]; then
    return 1
  fi
  for process in $processes; do
    is_alive "\${process%:*}" "\${process#*:}" || return
  done
  soon=$(date -u -d '60 seconds' '+%s %Y-%m-%dT%H:%M:%SZ' 2>/dev/null) || return
  [ "\${soon% *}" -lt "$due" ] && printf '%s%s"}}' "$beginning" "\${soon#* }"
}

# Beside the access to the plane that the words of a context mean.
answer_file() {
  file=
  for word in "$@"; do
    encode "$word" || return
    file=\${file:+\${file}_}$encoded
  done
  case $1$# in
  local2) file=\${0%/bin/*}/planes/$encoded/access.json.answer ;;
  kubernetes4) file=\${0%/bin/*}/credentials/$file.json.answer ;;
  *) return 1 ;;
  esac
}

# As encodeURIComponent does, for what names of contexts are made of.
encode() {
  left=$1
  encoded=
  while [ -n "$left" ]; do
    rest=\${left#?}
    letter=\${left%"$rest"}
    left=$rest
    case $letter in
    [a-zA-Z0-9._-]) ;;
    /) letter=%2F ;;
    :) letter=%3A ;;
    @) letter=%40 ;;
    *) return 1 ;;
    esac
    encoded=$encoded$letter
  done
}

# Whether a process was started when it should have been: field 22, counted from behind the name, which may hold anything.
is_alive() {
  started=$2
  IFS= read -r stat 2>/dev/null <"/proc/$1/stat" || return
  set -- \${stat##*) }
  [ "$1" != Z ] && [ "\${20}" = "$started" ]
}

if quick_answer "$@"; then
  exit 0
fi
if [ -f "$node" ] && [ -x "$node" ] && [ -f "$script" ]; then
  exec "$node" "$script" credential "$@"
fi
if command -v vplane >/dev/null 2>&1; then
  exec vplane credential "$@"
fi
echo 'vplane is not installed any more, and this context needs it: npm install --global vplane' >&2
exit 1
`
}

/** A word that the shell takes literally. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
