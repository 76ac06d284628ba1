import { join } from 'node:path'
import { COMPONENT_NAMES } from '../../control-plane/plane/plane.ts'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isDue } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import { isListening } from '../../shared/network/ports.ts'
import { processTableOf } from '../../shared/processes/process-table-of.ts'
import { runningComponents } from '../../drivers/local/components/running-components.ts'
import { planeFolder } from '../../drivers/local/store/plane-folder.ts'
import { readAccessFile } from '../../kubeconfig/plugin/access-file.ts'
import type { Paths } from '../../shared/paths.ts'

export interface KeptCredentialOptions {
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
export async function keptCredential(
  { data }: Pick<Paths, 'data'>,
  { isHeld = false, name, now }: KeptCredentialOptions,
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
