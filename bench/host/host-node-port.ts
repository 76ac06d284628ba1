import type { HostLab } from './host-lab.ts'

const NODE_PORT = 'jsonpath={.spec.ports[0].nodePort}'

/** A kubeconfig without a plugin for a client outside of the host cluster, of a plane with a node port. */
export async function nodePortKubeconfig(
  { kubectl, nodeAddress, vplane }: HostLab,
  { name, namespace }: { name: string; namespace: string },
): Promise<string> {
  const service = ['service', `vplane-${name}-api`, '--namespace', namespace]
  const { stdout: port } = await kubectl('get', ...service, '--output', NODE_PORT)
  const server = `https://${nodeAddress}:${port}`
  const flags = ['--namespace', namespace, '--embed-credentials', '--server', server]
  const { stdout } = await vplane('kubeconfig', name, ...flags)
  return stdout
}
