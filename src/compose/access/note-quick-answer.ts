import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { isComplete, runningComponents } from '../../drivers/local/components/running-components.ts'
import { planeFolder } from '../../drivers/local/store/plane-folder.ts'
import { type AccessPlane, readAccessFile } from '../../kubeconfig/plugin/access-file.ts'
import {
  type QuickAnswer,
  removeQuickAnswer,
  writeQuickAnswer,
} from '../../kubeconfig/plugin/quick-answer.ts'
import type { Paths } from '../../shared/paths.ts'
import { processTableOf } from '../../shared/processes/process-table-of.ts'
import { tunnelServer } from '../../tunnel/record/is-up.ts'
import { tunnelFolderOf } from '../../tunnel/record/tunnel-folder.ts'
import { readTunnel } from '../../tunnel/record/tunnel-record.ts'
import { accessPathOf } from './access-path.ts'
import { tunnelsRoot } from '../host/tunnels-root.ts'

/**
 * Stores the answer of the credential plugin for its launcher, which repeats it (see `launcherText`), if running
 * processes prove that it is valid: those of a local plane, or that of a tunnel. The plugin has just returned `access`.
 */
export async function noteQuickAnswer(
  paths: Pick<Paths, 'data'>,
  { access, plane }: { access: Access; plane: AccessPlane },
): Promise<void> {
  if (process.platform !== 'linux') {
    return
  }
  const evidence =
    plane.driver === 'local' ? localEvidence(paths, plane) : tunnelEvidence(paths, plane, access)
  if (evidence !== undefined) {
    const path = accessPathOf(paths.data, plane)
    try {
      await writeQuickAnswer(path, { access, ...evidence })
      // Another process, such as a rotation of the CAs, may have stored another credential meanwhile.
      if ((await readAccessFile(path))?.certificate !== access.certificate) {
        removeQuickAnswer(path)
      }
    } catch {
      // The plane is being removed, or the disk is full: the launcher asks vplane again the next time.
    }
  }
}

type Evidence = Omit<QuickAnswer, 'access'>

function localEvidence({ data }: Pick<Paths, 'data'>, { name }: AccessPlane): Evidence | undefined {
  const folder = planeFolder(`${data}/planes/${name}`)
  const running = runningComponents(folder, processTableOf(process.platform))
  return isComplete(running, folder) ? { processes: [...running.values()] } : undefined
}

function tunnelEvidence(
  paths: Pick<Paths, 'data'>,
  plane: AccessPlane,
  { server }: Access,
): Evidence | undefined {
  const folder = tunnelFolderOf(tunnelsRoot(paths), plane)
  const tunnel = readTunnel(folder)
  return tunnel?.process === undefined || tunnelServer(tunnel) !== server
    ? undefined
    : { processes: [tunnel.process], unless: folder.problem }
}
