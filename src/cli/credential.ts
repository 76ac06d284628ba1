import { cachedCredential, cachedHostCredential } from '../compose/access/cached-credential.ts'
import { noteQuickAnswer } from '../compose/access/note-quick-answer.ts'
import { isName } from '../control-plane/plane/names.ts'
import type { PlaneReference } from '../control-plane/plane/plane.ts'
import type { Access } from '../control-plane/use-cases/access/access.ts'
import { processEnvironment } from '../shared/environment.ts'
import { recordAt, textAt } from '../shared/json-fields.ts'
import { type Paths, pathsOf } from '../shared/paths.ts'
import type { WantedCluster, WantedCredential } from './slow-credential.ts'

/** A client asks again after this time, or a 401, never after a refused connection: so it finds a plane that moved. */
const RECHECK_MS = 60_000

/**
 * The credential plugin of contexts (client.authentication.k8s.io/v1): prints the credential of a plane, and first
 * starts the plane and its tunnel if they do not run. Returns the exit status; prints errors on stderr.
 */
export async function runCredential(words: readonly string[]): Promise<number> {
  const environment = processEnvironment()
  const wanted = { ...wantedOf(words), ...clusterOf(environment['KUBERNETES_EXEC_INFO']) }
  try {
    const paths = pathsOf(environment)
    const plane = planeOf(wanted)
    const cached = plane && (await cachedAccess(plane, wanted.server, paths))
    if (plane && cached && (wanted.wantedServer ?? cached.server) === cached.server) {
      print(cached)
      await noteQuickAnswer(paths, { plane, access: cached })
    } else {
      print(await openSlowly(wanted))
    }
    return 0
  } catch (error) {
    const { presentCredentialError } = await import('./slow-credential.ts')
    return presentCredentialError(error)
  }
}

/** The words that contexts carry: driver and name, namespace and host context, and the address that the user gave. */
function wantedOf(words: readonly string[]): Omit<WantedCredential, keyof WantedCluster> {
  const [driver, name = '', namespace, hostContext] = words.filter((word) => !word.startsWith('--'))
  const server = words.find((word) => word.startsWith('--server='))?.slice('--server='.length)
  return { driver, name, namespace, hostContext, server }
}

/** The plane that the words name; undefined if they need a closer look, for example because one is invalid. */
function planeOf({ driver, hostContext, name, namespace, server }: WantedCredential) {
  if (driver === 'local' && server === undefined && isName(name)) {
    return { name, driver } as const
  }
  if (driver === 'kubernetes' && namespace !== undefined && hostContext !== undefined) {
    return isName(name) ? ({ name, driver, namespace, hostContext } as const) : undefined
  }
  return undefined
}

async function cachedAccess(
  plane: PlaneReference,
  server: string | undefined,
  paths: Paths,
): Promise<Access | undefined> {
  const now = new Date()
  return plane.driver === 'local'
    ? cachedCredential(paths, { name: plane.name, now })
    : cachedHostCredential(paths, { plane, server, now })
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

/** Where the client connects to, and whom it trusts there; undefined if it does not set it. */
function clusterOf(execInfo: string | undefined): WantedCluster {
  try {
    const cluster = recordAt(JSON.parse(execInfo ?? '{}'), 'spec', 'cluster')
    const authority = textAt(cluster, 'certificate-authority-data')
    return {
      wantedServer: textAt(cluster, 'server'),
      wantedAuthority: authority && String(Buffer.from(authority, 'base64')),
    }
  } catch {
    // The client does not follow the protocol; it gets the credential all the same.
    return { wantedServer: undefined, wantedAuthority: undefined }
  }
}
