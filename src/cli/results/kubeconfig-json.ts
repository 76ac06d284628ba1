import { type Json, recordAt } from '../../shared/json-fields.ts'

/** A kubeconfig in `--json` results; kubectl reads it too. It contains credentials. */
export interface KubeconfigJson extends Json {
  kind: 'Config'
}

/** A kubeconfig for `--json`. */
export async function toKubeconfigJson(text: string): Promise<KubeconfigJson> {
  const { parseYaml } = await import('../../shared/yaml/yaml.ts')
  return { ...recordAt(parseYaml(text, 'the kubeconfig')), kind: 'Config' }
}
