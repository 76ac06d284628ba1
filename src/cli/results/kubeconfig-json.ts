import { type Json, recordAt } from '../../shared/json-fields.ts'

/** A kubeconfig for `--json`; kubectl reads it too. */
export async function toKubeconfigJson(text: string): Promise<Json> {
  const { parseYaml } = await import('../../shared/yaml/yaml.ts')
  return recordAt(parseYaml(text, 'the kubeconfig')) ?? {}
}
