import { join } from 'node:path'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isDue } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import { isComplete, runningComponents } from '../../drivers/local/components/running-components.ts'
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
  /** Whether the client uses the credential until it expires. @default false */
  isHeld?: boolean
}

/**
 * Returns the stored access to a local plane if it can be used unchanged: its credential is not due, all processes of
 * the plane run and its port answers. Otherwise it returns undefined, and `openAccess` must do the work. Clients run
 * the credential plugin before their first request, so this imports little and takes a millisecond or two.
 */
export async function cachedCredential(
  { data }: Pick<Paths, 'data'>,
  { isHeld = false, name, now }: CachedCredentialOptions,
): Promise<Access | undefined> {
  const folder = planeFolder(join(data, 'planes', name))
  const stored = await readAccessFile(folder.access)
  if (stored === undefined || isDue(stored, now, isHeld)) {
    return undefined
  }
  const running = runningComponents(folder, processTableOf(process.platform))
  const isServing =
    isComplete(running, folder) && (await isListening(Number(new URL(stored.server).port)))
  return isServing ? stored : undefined
}

export interface CachedHostOptions {
  plane: PlaneReference
  /** The address that the user gave for the plane. */
  server?: string | undefined
  now: Date
}

/** How long a server may take to answer, in milliseconds: a firewall may drop the packets. */
const ANSWER_MS = 1000

/** Like `cachedCredential` in a host cluster: the tunnel must be up, or the address must answer. */
export async function cachedHostCredential(
  paths: Pick<Paths, 'data'>,
  { now, plane, server }: CachedHostOptions,
): Promise<Access | undefined> {
  const stored = await readAccessFile(accessPathOf(paths.data, plane))
  if (stored === undefined || isDue(stored, now)) {
    return undefined
  }
  if (server !== undefined) {
    return (await answers(server)) ? { ...stored, server } : undefined
  }
  const tunnel = readTunnel(tunnelFolderOf(tunnelsRoot(paths), plane))
  if (tunnel === undefined || tunnelServer(tunnel) !== stored.server) {
    return (await answers(stored.server)) ? stored : undefined
  }
  return tunnel.problem === undefined && (await isUp(tunnel)) ? stored : undefined
}

async function answers(server: string): Promise<boolean> {
  const { hostname, port } = new URL(server)
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const timeout = AbortSignal.timeout(ANSWER_MS)
  const late = new Promise<false>((resolve) => {
    timeout.addEventListener('abort', () => resolve(false), { once: true })
  })
  return Promise.race([isListening(port === '' ? 443 : Number(port), host), late])
}
