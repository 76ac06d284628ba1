import { join } from 'node:path'
import { packageRoot } from '../../../shared/package-root.ts'

/**
 * The guard's life: it keeps the last complete line of its input, and when the input ends it hands that line to the
 * program in its arguments. A shell that waits takes a few hundred KiB, a waiting Node.js 30 MiB and more. Signals
 * that are meant for the owner (a closed terminal, a service that stops) may reach it too, and it must outlive those: an
 * empty line says that from now on it does.
 */
const SCRIPT = `trap '' HUP INT TERM
echo
exec >/dev/null
planes=
while IFS= read -r line; do planes=$line; done
if [ -n "$planes" ]; then printf '%s\\n' "$planes" | "$@"; fi`

/** The arguments of /bin/sh that make it a guard, which runs `program` with its last line when its input ends. */
export function guardArguments(program: readonly string[]): string[] {
  return ['-c', SCRIPT, 'vplane-guard', ...program]
}

/** The program that removes an owner's planes, as it lies in a checkout or in the package. */
export function removalProgram(module: string = import.meta.url): string[] {
  const isCheckout = module.endsWith('.ts')
  const script = isCheckout
    ? 'src/drivers/local/guard/remove-protected-main.ts'
    : 'dist/drivers/local/guard/remove-protected-main.js'
  return [process.execPath, join(packageRoot(), script)]
}
