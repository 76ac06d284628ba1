import {
  type ConnectDependencies,
  type ConnectOptions,
  renderControlPlaneKubeconfig,
} from '../../control-plane/use-cases/connect/connect-control-plane.ts'
import { type KubeconfigJson, toKubeconfigJson } from '../results/kubeconfig-json.ts'

/**
 * Prints a kubeconfig for one plane alone, and returns it for `--json`. Notes when it is for someone else, but leads to this
 * machine.
 */
export async function printKubeconfig(
  deps: ConnectDependencies,
  options: ConnectOptions,
  { isJson }: { isJson: boolean },
): Promise<KubeconfigJson> {
  const { kubeconfig, server } = await renderControlPlaneKubeconfig(deps, options)
  if (options.grant !== undefined && new URL(server).hostname === '127.0.0.1') {
    deps.ui.note(`${server} works on this machine only; --server sets another address.`)
  }
  if (!isJson) {
    process.stdout.write(kubeconfig)
  }
  return toKubeconfigJson(kubeconfig)
}
