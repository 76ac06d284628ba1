import type { Finding } from '../../../control-plane/status/finding.ts'
import { textAt } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'
import type { Claim } from '../host/workload.ts'
import type { Hint } from '../../../shared/hint.ts'
import { collectionPath } from '../../../shared/kube/collections.ts'

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
const BETA_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class'
/** An administrator creates the volumes of such classes. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

/** Returns the default StorageClass. */
export function defaultClassOf(classes: readonly KubeObject[]): KubeObject | undefined {
  return classes
    .filter(({ metadata: { annotations = {} } }) =>
      [DEFAULT_CLASS, BETA_DEFAULT_CLASS].some((name) => annotations[name] === 'true'),
    )
    .toSorted((one, other) => createdAt(other).localeCompare(createdAt(one)))[0]
}

/** `list` returns undefined without the right to list, which most namespace administrators lack. */
export async function storageFindings(
  [claim]: readonly Claim[],
  list: (path: string) => Promise<readonly KubeObject[] | undefined>,
): Promise<Finding[]> {
  const classes = claim === undefined ? undefined : await list(collectionPath('storageclasses'))
  if (classes === undefined) {
    return []
  }
  const wanted = claim?.spec?.storageClassName
  const found =
    wanted === undefined
      ? defaultClassOf(classes)
      : classes.find(({ metadata }) => metadata.name === wanted)
  if (found !== undefined && found['provisioner'] !== NO_PROVISIONER) {
    return []
  }
  const className = wanted ?? found?.metadata.name
  const volumes = (await list(collectionPath('persistentvolumes'))) ?? []
  const [message, hint] = [whyNot(wanted, found), hintsOf(classes)]
  return volumes.some((volume) => isFree(volume, className))
    ? []
    : [{ subject: 'storage', level: 'problem', message, hint }]
}

function whyNot(wanted: string | undefined, found: KubeObject | undefined): string {
  if (found !== undefined) {
    return `StorageClass "${found.metadata.name}" creates no volumes, and has no free one`
  }
  return wanted === undefined
    ? 'the host cluster has no default StorageClass'
    : `the host cluster has no StorageClass "${wanted}"`
}

function hintsOf(classes: readonly KubeObject[]): Hint[] {
  const names = classes
    .filter((one) => one['provisioner'] !== NO_PROVISIONER)
    .map(({ metadata }) => metadata.name ?? '')
  return [
    ...(names.length > 0 ? [{ purpose: `one of ${names.join(', ')}`, storageClass: 'NAME' }] : []),
    { purpose: 'for a plane without volumes', ephemeral: true },
  ]
}

function isFree(volume: KubeObject, className = ''): boolean {
  const isAvailable = textAt(volume, 'status', 'phase') === 'Available'
  return isAvailable && (textAt(volume, 'spec', 'storageClassName') ?? '') === className
}

function createdAt({ metadata }: KubeObject): string {
  return textAt(metadata, 'creationTimestamp') ?? ''
}
