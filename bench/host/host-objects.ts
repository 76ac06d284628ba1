import type { HostLab } from './host-lab.ts'

/** The names of the namespaced objects of any kind with a label. */
export async function labelledObjects(
  { kubectl }: Pick<HostLab, 'kubectl'>,
  namespace: string,
  label: string,
): Promise<string[]> {
  const resources = ['api-resources', '--namespaced', '--verbs=list', '--output', 'name']
  const { stdout: kinds } = await kubectl(...resources)
  const selection = ['-n', namespace, '-l', label, '--output', 'name']
  const { stdout } = await kubectl('get', kinds.trim().replaceAll('\n', ','), ...selection)
  return stdout.split('\n').filter((line) => line !== '')
}
