import { formatYaml } from '../../shared/yaml/yaml.ts'
import type { Manifest } from '../manifest.ts'
import { fileOfSecretKey } from '../pod-files.ts'

export interface RenderOptions {
  /** `reference`: what is in Secrets is named, not shown. `show`: keys and all, as they are applied. */
  secrets: 'reference' | 'show'
}

/** Says in a rendered Secret what stands in it instead. */
const CONTENTS = 'vplane.dev/contents'

/** Objects as YAML documents, in their order: the same objects are the same text. */
export function renderManifests(objects: readonly Manifest[], { secrets }: RenderOptions): string {
  return objects
    .map((object) => (secrets === 'reference' ? withoutContents(object) : object))
    .map((object) => formatYaml(object))
    .join('---\n')
}

function withoutContents(object: Manifest): Manifest {
  const { data, ...rest } = object
  if (object.kind !== 'Secret' || typeof data !== 'object' || data === null) {
    return object
  }
  const { annotations, name } = object.metadata
  const references = Object.keys(data).map((key) => [
    key,
    `<${fileOfSecretKey(key)} of Secret ${name}>`,
  ])
  return {
    ...rest,
    metadata: {
      ...object.metadata,
      annotations: { ...annotations, [CONTENTS]: 'left out: vplane makes and keeps them' },
    },
    stringData: Object.fromEntries(references),
  }
}
