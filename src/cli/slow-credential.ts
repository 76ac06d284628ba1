import { compose } from '../compose/compose.ts'
import type { Access } from '../control-plane/use-cases/access.ts'
import { openAccessTo } from '../control-plane/use-cases/connect-control-plane.ts'
import { processEnvironment } from '../shared/environment.ts'
import { VplaneError } from '../shared/errors.ts'
import { silentUi } from '../shared/ui.ts'
import { formatError } from './present-error.ts'
import { loadSettings } from './settings.ts'
import { canColor } from './terminal.ts'
import { toFailure } from './to-failure.ts'

export interface WantedCredential {
  driver: string | undefined
  name: string
  /** Where the client is about to connect to. */
  wantedServer: string | undefined
}

/**
 * The way into a plane that rests, or whose credential is due.
 *
 * @throws {VplaneError} what `openAccessTo` throws, and `CONFLICT` when the plane is at another address than the
 * client's context says: the context is rewritten, and the next try works.
 */
export async function slowCredential({
  driver,
  name,
  wantedServer,
}: WantedCredential): Promise<Access> {
  const environment = processEnvironment()
  const { timeoutMs } = await loadSettings(environment)
  // Whoever starts the plugin ends it by a signal: nothing here listens for them.
  const { signal } = new AbortController()
  const ui = {
    ...silentUi,
    step: (text: string) => process.stderr.write(`vplane: ${text}\n`),
    warn: (text: string) => process.stderr.write(`vplane: warning: ${text}\n`),
  }
  const composition = compose({ environment, ui })
  const { access, plane } = await openAccessTo(composition, {
    name,
    timeoutMs,
    signal,
    ...(driver === 'local' || driver === 'kubernetes' ? { driver } : {}),
  })
  if (wantedServer !== undefined && wantedServer !== access.server) {
    const isMoved = await composition.contexts.move(plane, access, signal)
    throw new VplaneError(
      'CONFLICT',
      `"${name}" is now at ${access.server}, not at ${wantedServer}`,
      {
        hints: [
          isMoved ? 'its context is rewritten: run the command again' : `vplane connect ${name}`,
        ],
      },
    )
  }
  return access
}

/** Says on stderr what went wrong, and gives the exit status. */
export function presentCredentialError(error: unknown): number {
  const environment = processEnvironment()
  const failure = toFailure(error, {
    usage: 'vplane COMMAND',
    help: 'vplane help',
    isInterrupted: false,
  })
  const color = canColor(process.stderr, environment)
  const debug = (environment['VPLANE_DEBUG'] ?? '') !== ''
  process.stderr.write(formatError(failure, { color, debug }))
  return failure.exitCode
}
