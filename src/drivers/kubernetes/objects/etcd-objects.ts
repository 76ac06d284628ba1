import type { Manifest } from '../../../manifests/manifest.ts'
import { COMPONENT_LABEL } from '../../../manifests/object-names.ts'
import { planeObjects } from './plane-objects.ts'
import type { ChangeContext } from './change-context.ts'

/** @throws {Error} without a StatefulSet for etcd: a bug, or a template of the user. */
export function etcdObjects({
  files,
  journal,
  place,
}: Pick<ChangeContext, 'files' | 'place'> & {
  journal: Pick<ChangeContext['journal'], 'record'>
}): { configuration: Manifest[]; statefulSet: Manifest } {
  const { needed, workloads } = planeObjects(place, journal.record, files)
  const isOfEtcd = ({ metadata }: Manifest) => metadata.labels[COMPONENT_LABEL] === 'etcd'
  const [statefulSet] = workloads.filter(isOfEtcd)
  if (statefulSet === undefined) {
    throw new Error('the templates have no StatefulSet for etcd')
  }
  return {
    configuration: needed.filter((object) => object.kind === 'ConfigMap' && isOfEtcd(object)),
    statefulSet,
  }
}
