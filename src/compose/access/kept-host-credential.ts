import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isDue } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import { readAccessFile } from '../../kubeconfig/plugin/access-file.ts'
import type { Paths } from '../../shared/paths.ts'
import { isListening } from '../../shared/network/ports.ts'
import { isUp, tunnelServer } from '../../tunnel/record/is-up.ts'
import { tunnelFolderOf } from '../../tunnel/record/tunnel-folder.ts'
import { readTunnel } from '../../tunnel/record/tunnel-record.ts'
import { accessPathOf } from './access-path.ts'
import { tunnelsRoot } from '../host/tunnels-root.ts'

export interface KeptHostOptions {
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
 * Like `keptCredential`, this imports little and takes a millisecond or two.
 */
export async function keptHostCredential(
  paths: Pick<Paths, 'data'>,
  { now, plane, server }: KeptHostOptions,
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
