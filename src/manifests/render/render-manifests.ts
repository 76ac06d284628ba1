import { formatYaml } from '../../shared/yaml/yaml.ts'
import type { Manifest } from '../manifest.ts'

export interface RenderOptions {
  /** `omit`: Secrets with contents are left out. `show`: they are printed as they are applied, with their keys. */
  secrets: 'omit' | 'show'
  /** @default 'yaml' */
  format?: 'yaml' | 'json' | undefined
}

export interface RenderedManifests {
  text: string
  leftOut: Manifest[]
}

/**
 * Returns objects as text, in their order: YAML documents, or one List in JSON. The same objects give the same text. A
 * comment of YAML names Secrets that are left out: a Secret with other contents would replace the keys of a plane when
 * the text is applied.
 */
export function renderManifests(
  objects: readonly Manifest[],
  { format = 'yaml', secrets }: RenderOptions,
): RenderedManifests {
  const leftOut = secrets === 'show' ? [] : objects.filter(hasContents)
  const shown = objects.filter((object) => !leftOut.includes(object))
  const text = format === 'json' ? listOf(shown) : commentOn(leftOut) + documentsOf(shown)
  return { text, leftOut }
}

function hasContents({ data, kind, stringData }: Manifest): boolean {
  return kind === 'Secret' && (data !== undefined || stringData !== undefined)
}

function listOf(items: readonly Manifest[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`
}

function documentsOf(objects: readonly Manifest[]): string {
  return objects.map((object) => formatYaml(object)).join('---\n')
}

function commentOn(secrets: readonly Manifest[]): string {
  const names = secrets.map(({ metadata }) => `#   ${metadata.name}\n`)
  return names.length === 0
    ? ''
    : `# These Secrets contain keys and are left out:\n${names.join('')}`
}
