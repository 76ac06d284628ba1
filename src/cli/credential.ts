import { keptCredential } from '../compose/kept-credential.ts'
import { keptHostCredential } from '../compose/kept-host-credential.ts'
import { isName } from '../control-plane/names.ts'
import type { Access } from '../control-plane/use-cases/access.ts'
import { processEnvironment } from '../shared/environment.ts'
import { type Paths, pathsOf } from '../shared/paths.ts'
import type { WantedCredential } from './slow-credential.ts'

/**
 * How long a client may use what it got without asking again, in milliseconds. It asks only then or after a 401, never
 * after a refused connection: so a client that runs for long finds a plane that moved or stopped within this time.
 */
const RECHECK_MS = 60_000

/**
 * The credential plugin of contexts that vplane wrote (client.authentication.k8s.io/v1): prints the credential of a
 * plane, and starts the plane and the tunnel to it before when they rest.
 *
 * @returns the exit status; what went wrong is said on stderr.
 */
export async function runCredential(words: readonly string[]): Promise<number> {
  const environment = processEnvironment()
  const wanted = { ...wantedOf(words), wantedServer: serverOf(environment['KUBERNETES_EXEC_INFO']) }
  try {
    const kept = await keptAccess(wanted, pathsOf(environment))
    const isUsable = kept !== undefined && (wanted.wantedServer ?? kept.server) === kept.server
    print(isUsable ? kept : await openSlowly(wanted))
    return 0
  } catch (error) {
    const { presentCredentialError } = await import('./slow-credential.ts')
    return presentCredentialError(error)
  }
}

/** The words that contexts carry: driver and name, namespace and host context, and the address that the user gave. */
function wantedOf(words: readonly string[]): Omit<WantedCredential, 'wantedServer'> {
  const [driver, name = '', namespace, hostContext] = words.filter((word) => !word.startsWith('--'))
  const server = words.find((word) => word.startsWith('--server='))?.slice('--server='.length)
  return { driver, name, namespace, hostContext, server }
}

/** The access that can be handed out without looking any further. */
async function keptAccess(wanted: WantedCredential, paths: Paths): Promise<Access | undefined> {
  const { driver, hostContext, name, namespace, server } = wanted
  const now = new Date()
  if (!isName(name)) {
    return undefined
  }
  if (driver === 'local' && server === undefined) {
    return keptCredential(paths, { name, now })
  }
  if (driver !== 'kubernetes' || namespace === undefined || hostContext === undefined) {
    return undefined
  }
  const plane = { name, driver, namespace, hostContext } as const
  return keptHostCredential(paths, { plane, server, now })
}

async function openSlowly(wanted: WantedCredential): Promise<Access> {
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
