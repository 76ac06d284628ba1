import { storeOf } from '../../../control-plane/store/store.ts'
import type { Manifest } from '../../../manifests/manifest.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { planeObjects } from './plane-objects.ts'
import type { ChangeContext } from './change-context.ts'

/**
 * The StatefulSet of what stores the data of a plane, and the ConfigMap that tells it whether it has data.
 * @throws {Error} without a StatefulSet: a bug, or a template of the user.
 */
export function storeObjects({
  files,
  journal,
  place,
}: Pick<ChangeContext, 'files' | 'place'> & {
  journal: Pick<ChangeContext['journal'], 'record'>
}): { configuration: Manifest[]; statefulSet: Manifest } {
  const { component } = storeOf(journal.record.spec)
  const { needed, workloads } = planeObjects(place, journal.record, files)
  const isOfStore = ({ metadata }: Manifest) => metadata.labels[COMPONENT_LABEL] === component
  const [statefulSet] = workloads.filter(isOfStore)
  if (statefulSet === undefined) {
    throw new Error(`the templates have no StatefulSet for ${component}`)
  }
  return {
    configuration: needed.filter((object) => object.kind === 'ConfigMap' && isOfStore(object)),
    statefulSet,
  }
}
