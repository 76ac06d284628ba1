import { join } from 'node:path'
import { COMPONENT_NAMES, type PlaneReference } from '../../control-plane/plane/plane.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isDue } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import { runningComponents } from '../../drivers/local/components/running-components.ts'
import { planeFolder } from '../../drivers/local/store/plane-folder.ts'
import { readAccessFile } from '../../kubeconfig/plugin/access-file.ts'
import { isListening } from '../../shared/network/ports.ts'
import type { Paths } from '../../shared/paths.ts'
import { processTableOf } from '../../shared/processes/process-table-of.ts'
import { isUp, tunnelServer } from '../../tunnel/record/is-up.ts'
import { tunnelFolderOf } from '../../tunnel/record/tunnel-folder.ts'
import { readTunnel } from '../../tunnel/record/tunnel-record.ts'
import { tunnelsRoot } from '../host/tunnels-root.ts'
import { accessPathOf } from './access-path.ts'

export interface CachedCredentialOptions {
  name: string
  now: Date
  /** Whether the client uses the credential to its end. @default false */
  isHeld?: boolean
}

/**
 * The access that is kept for a local plane, when it can be used as it is: its credential is not due, all of its
 * processes live and its port answers. Otherwise undefined, and the long way has to be gone.
 *
 * Clients run the credential plugin before their first request, so this imports little and takes a millisecond or two.
 */
export async function cachedCredential(
  { data }: Pick<Paths, 'data'>,
  { isHeld = false, name, now }: CachedCredentialOptions,
): Promise<Access | undefined> {
  const folder = planeFolder(join(data, 'planes', name))
  const kept = await readAccessFile(folder.access)
  if (kept === undefined || isDue(kept, now, isHeld)) {
    return undefined
  }
  const running = runningComponents(folder, processTableOf(process.platform))
  const isUp =
    running.size === COMPONENT_NAMES.length &&
    (await isListening(Number(new URL(kept.server).port)))
  return isUp ? kept : undefined
}

export interface CachedHostOptions {
  plane: PlaneReference
  /** The address that the user gave for the plane. */
  server?: string | undefined
  now: Date
}

/** How long a server on the way to which there may be a firewall is given, in milliseconds. */
const ANSWER_MS = 1000

/**
 * The access that is kept for a plane in a host cluster, when it can be used as it is: its credential is not due, and the
 * tunnel to it is up, or the address of the plane answers. Otherwise undefined, and the long way has to be gone.
 *
 * Like `cachedCredential`, this imports little and takes a millisecond or two.
 */
export async function cachedHostCredential(
  paths: Pick<Paths, 'data'>,
  { now, plane, server }: CachedHostOptions,
): Promise<Access | undefined> {
  const kept = await readAccessFile(accessPathOf(paths.data, plane))
  if (kept === undefined || isDue(kept, now)) {
    return undefined
  }
  if (server !== undefined) {
    return (await answers(server)) ? { ...kept, server } : undefined
  }
  const tunnel = readTunnel(tunnelFolderOf(tunnelsRoot(paths), plane))
  if (tunnel === undefined || tunnelServer(tunnel) !== kept.server) {
    return (await answers(kept.server)) ? kept : undefined
  }
  return tunnel.problem === undefined && (await isUp(tunnel)) ? kept : undefined
}

async function answers(server: string): Promise<boolean> {
  const { hostname, port } = new URL(server)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const silence = AbortSignal.timeout(ANSWER_MS)
  const late = new Promise<false>((resolve) => {
    silence.addEventListener('abort', () => resolve(false), { once: true })
  })
  return Promise.race([isListening(port === '' ? 443 : Number(port), host), late])
}
