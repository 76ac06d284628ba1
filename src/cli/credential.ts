import { keptCredential } from '../compose/kept-credential.ts'
import { isName } from '../control-plane/names.ts'
import type { Access } from '../control-plane/use-cases/access.ts'
import { processEnvironment } from '../shared/environment.ts'
import { pathsOf } from '../shared/paths.ts'

/**
 * How long a client may use what it got without asking again, in milliseconds. It asks only then or after a 401, never
 * after a refused connection: so a client that runs for long finds a plane that moved or stopped within this time.
 */
const RECHECK_MS = 60_000

/**
 * The credential plugin of contexts that vplane wrote (client.authentication.k8s.io/v1): prints the credential of a
 * plane, and starts the plane before when it rests.
 *
 * @returns the exit status; what went wrong is said on stderr.
 */
export async function runCredential([driver, name = '']: readonly string[]): Promise<number> {
  const environment = processEnvironment()
  const wantedServer = serverOf(environment['KUBERNETES_EXEC_INFO'])
  try {
    const kept =
      driver === 'local' && isName(name)
        ? await keptCredential(pathsOf(environment), { name, now: new Date() })
        : undefined
    const isUsable = kept !== undefined && (wantedServer ?? kept.server) === kept.server
    print(isUsable ? kept : await openSlowly({ driver, name, wantedServer }))
    return 0
  } catch (error) {
    const { presentCredentialError } = await import('./slow-credential.ts')
    return presentCredentialError(error)
  }
}

async function openSlowly(wanted: {
  driver: string | undefined
  name: string
  wantedServer: string | undefined
}): Promise<Access> {
  const { slowCredential } = await import('./slow-credential.ts')
  return slowCredential(wanted)
}

function print({ certificate, key }: Access): void {
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: {
      clientCertificateData: certificate,
      clientKeyData: key,
      expirationTimestamp: new Date(Date.now() + RECHECK_MS).toISOString(),
    },
  }
  process.stdout.write(JSON.stringify(credential))
}

/** Where the client is about to connect to; undefined when it does not say. */
function serverOf(execInfo: string | undefined): string | undefined {
  try {
    const info: { spec?: { cluster?: { server?: unknown } } } = JSON.parse(execInfo ?? '{}')
    const server = info.spec?.cluster?.server
    return typeof server === 'string' ? server : undefined
  } catch {
    // Not a client that keeps to the protocol; it gets the credential all the same.
    return undefined
  }
}
