import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeFolder } from '../../shared/files/make-folder.ts'
import { writeFile } from '../../shared/files/write-file.ts'
import { FOLDER_VARIABLES } from '../../shared/paths.ts'

/** The vplane that a launcher starts: the one that wrote it last. */
export interface LauncherTarget {
  node: string
  script: string
}

export interface Launched extends LauncherTarget {
  /** The variables by which it finds the folders of the vplane that wrote it. @default they are the default folders */
  folders?: Readonly<Record<string, string>>
}

/**
 * Writes the program that contexts name as their credential plugin. It tries the vplane that wrote it, then the one on
 * PATH, and otherwise prints how to install one: so contexts survive any one installation.
 */
export async function writeCredentialLauncher(path: string, target: Launched): Promise<void> {
  const text = launcherText(target)
  if (text !== (await readLauncher(path))) {
    makeFolder(dirname(path))
    await writeFile(path, text, { mode: 0o700 })
  }
}

/**
 * Updates the launcher if it exists: users who never connected have none. A folder that cannot be written stays as it
 * is, because the launcher also finds a vplane on PATH.
 */
export async function refreshCredentialLauncher(path: string, target: Launched): Promise<void> {
  try {
    if ((await readLauncher(path)) !== undefined) {
      await writeCredentialLauncher(path, target)
    }
  } catch {
    // The next connect reports the error.
  }
}

async function readLauncher(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch {
    // Missing or not readable: it is written again when it is needed.
    return undefined
  }
}

/**
 * The script that contexts name as their credential plugin.
 *
 * The checks before a stored credential may be used take a shell two milliseconds, and Node.js fifty. So vplane stores
 * its answer beside the access (`writeQuickAnswer`), and the script repeats it as long as it applies: the credential is
 * not due for renewal, the same processes run, the tunnel has no fault, and the client is about to connect to that same
 * address. The script needs /proc and GNU's date; in any doubt, it runs vplane.
 */
function launcherText({ folders = {}, node, script }: Launched): string {
  const variables = Object.entries(folders).map(([name, value]) => `${name}=${quoted(value)}`)
  return `#!/bin/sh
# The credential plugin of kubeconfig contexts that vplane wrote. vplane keeps it up to date.
node=${quoted(node)}
script=${quoted(script)}

# Prints vplane's last answer if it still applies.
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

# Finds the answer beside the access to the plane that the arguments name.
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

# Encodes a word as encodeURIComponent does, for the characters that are usual in names of contexts.
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

# Checks when a process was started: field 22, counted from behind the name, which may contain anything.
is_alive() {
  started=$2
  IFS= read -r stat 2>/dev/null <"/proc/$1/stat" || return
  set -- \${stat##*) }
  [ "$1" != Z ] && [ "\${20}" = "$started" ]
}

if quick_answer "$@"; then
  exit 0
fi
# The client's environment may name other folders, with another control plane of this name.
unset ${FOLDER_VARIABLES.join(' ')}
${variables.map((variable) => `export ${variable}\n`).join('')}if [ -f "$node" ] && [ -x "$node" ] && [ -f "$script" ]; then
  exec "$node" "$script" credential "$@"
fi
if command -v vplane >/dev/null 2>&1; then
  exec vplane credential "$@"
fi
echo 'vplane is not installed any more, and this context needs it: npm install --global vplane' >&2
exit 1
`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
