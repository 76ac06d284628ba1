import { formatYaml } from '../../shared/yaml/yaml.ts'
import type { Manifest } from '../manifest.ts'
import { fileOfSecretKey } from '../pod-files.ts'

/** The annotation of a rendered Secret that explains its missing content. */
const CONTENTS = 'vplane.dev/contents'

/**
 * Renders objects as YAML documents in their order; the same objects result in the same text.
 *
 * @param secrets `reference` names the content of Secrets, `show` shows it as it is applied.
 */
export function renderManifests(
  objects: readonly Manifest[],
  { secrets }: { secrets: 'reference' | 'show' },
): string {
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
