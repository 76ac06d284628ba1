import { isRecord } from '../../src/shared/json-fields.ts'
import type { Manifest } from '../../src/manifests/manifest.ts'

/** The part of a pod that tests look at. */
export interface PodTemplate {
  metadata: { labels: Record<string, string>; annotations: Record<string, string> }
  spec: Record<string, unknown> & { containers: Container[] }
}

interface Container extends Record<string, unknown> {
  name: string
  image: string
  args: string[]
  env: Array<{ name: string; value?: string }>
}

/** The templates of all pods among objects, by the name of their container. */
export function podsOf(objects: readonly Manifest[]): Record<string, PodTemplate> {
  const templates = objects
    .map(({ spec }) => (isRecord(spec) ? spec['template'] : undefined))
    .filter(isPodTemplate)
  return Object.fromEntries(templates.map((pod) => [pod.spec.containers[0]?.name ?? '', pod]))
}

function isPodTemplate(value: unknown): value is PodTemplate {
  return isRecord(value) && isRecord(value['spec']) && Array.isArray(value['spec']['containers'])
}
