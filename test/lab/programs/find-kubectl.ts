import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import type { LabContext } from '../lab-context.ts'
import { runCommand } from '../machine/run-command.ts'

/** Runs kubectl and returns what it printed. */
export type Kubectl = (args: readonly string[], input?: string) => Promise<string>

/** A kubectl with a kubeconfig, the newest that vplane knows. */
export async function findKubectl(kubeconfig: string, context: LabContext): Promise<Kubectl> {
  const { environment, folder, signal, ui } = context
  const version = DEFAULT_KUBERNETES_VERSION
  const { kubectl } = await ensureBinaries(
    {
      kubernetesVersion: version,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(version)),
      names: ['kubectl'],
    },
    { paths: folder, environment, signal, ui },
  )
  return (args, input) =>
    runCommand(kubectl, ['--kubeconfig', kubeconfig, ...args], {
      signal,
      ...(input === undefined ? {} : { input }),
    })
}
