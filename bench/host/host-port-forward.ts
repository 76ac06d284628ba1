import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { HostLab } from './host-lab.ts'

/** A way to a pod that `kubectl port-forward` makes. */
export interface PortForward extends AsyncDisposable {
  /** Origin of an API server behind it. */
  server: string
}

/**
 * Runs `kubectl port-forward` as the administrator of the host until it is disposed.
 *
 * @param target what to forward to and where: `deployment/web`, in which namespace, which port
 * @throws {Error} when it ends before it forwards.
 */
export async function openPortForward(
  { lab, workspace }: HostLab,
  { namespace, port, target }: { target: string; namespace: string; port: number },
): Promise<PortForward> {
  const words = ['port-forward', '--namespace', namespace, target, `:${port}`]
  const child = spawn(workspace.binaries.kubectl, words, {
    env: { ...workspace.environment, KUBECONFIG: lab.kubeconfigPath },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal: workspace.signal,
  })
  const ended = once(child, 'close')
  for await (const line of createInterface(child.stdout)) {
    const [, local] = /^Forwarding from (127\.0\.0\.1:\d+)/.exec(line) ?? []
    if (local !== undefined) {
      // One line for each connection: nobody reads them.
      child.stdout.resume()
      return {
        server: `https://${local}`,
        [Symbol.asyncDispose]: async () => {
          child.kill()
          await ended
        },
      }
    }
  }
  throw new Error(`kubectl port-forward to ${target} has ended`)
}
