import type { Finding } from '../../../control-plane/status/finding.ts'
import type { HostApi, HostObject } from '../host/host-api.ts'
import { unlessRefused } from '../host/unless-refused.ts'
import type { Claim } from '../host/workload.ts'

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class'
const BETA_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class'
/** Volumes of such classes are made by somebody, one by one. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner'

const SUBJECT = 'storage'

/** The StorageClasses of the host; undefined when the user may not see them, as namespace admins mostly may not. */
export async function storageClasses(
  api: Pick<HostApi, 'list'>,
  signal: AbortSignal,
): Promise<HostObject[] | undefined> {
  const path = '/apis/storage.k8s.io/v1/storageclasses'
  return (await unlessRefused(api.list(path, { signal })))?.items
}

/** The class that a volume gets which names none. */
export function defaultClassOf(classes: readonly HostObject[]): HostObject | undefined {
  return classes
    .filter(({ metadata: { annotations = {} } }) =>
      [DEFAULT_CLASS, BETA_DEFAULT_CLASS].some((name) => annotations[name] === 'true'),
    )
    .toSorted((one, other) => createdAt(other).localeCompare(createdAt(one)))[0]
}

interface StorageOptions {
  classes: readonly HostObject[] | undefined
  /** Volumes that are there and could be taken; asked for when no class makes them. */
  volumes: () => Promise<readonly HostObject[] | undefined>
}

/** Whether the host makes the volumes that a plane asks for. */
export async function storageFinding(
  [claim]: readonly Claim[],
  { classes, volumes }: StorageOptions,
): Promise<Finding> {
  if (claim === undefined) {
    return { subject: SUBJECT, level: 'ok', message: 'no volumes are needed' }
  }
  if (classes === undefined) {
    return { subject: SUBJECT, level: 'ok', message: 'you may not see StorageClasses' }
  }
  const wanted = claim.storageClassName
  const found =
    wanted === undefined
      ? defaultClassOf(classes)
      : classes.find(({ metadata }) => metadata.name === wanted)
  if (found !== undefined && found['provisioner'] !== NO_PROVISIONER) {
    return { subject: SUBJECT, level: 'ok', message: `StorageClass "${found.metadata.name}"` }
  }
  const className = wanted ?? found?.metadata.name
  const there = (await volumes()) ?? []
  if (there.some((volume) => isFree(volume, className))) {
    return { subject: SUBJECT, level: 'ok', message: 'there are volumes to take' }
  }
  return {
    subject: SUBJECT,
    level: 'problem',
    message: whyNot(wanted, found),
    hint: hintOf(classes),
  }
}

function whyNot(wanted: string | undefined, found: HostObject | undefined): string {
  if (found !== undefined) {
    return `StorageClass "${found.metadata.name}" makes no volumes, and none of it is free`
  }
  return wanted === undefined
    ? 'the host cluster has no default StorageClass'
    : `the host cluster has no StorageClass "${wanted}"`
}

function hintOf(classes: readonly HostObject[]): string {
  const names = classes
    .filter((one) => one['provisioner'] !== NO_PROVISIONER)
    .map(({ metadata }) => metadata.name ?? '')
  const ephemeral = '--ephemeral for a plane without volumes'
  return names.length === 0 ? ephemeral : `--storage-class ${names.join('|')}, or ${ephemeral}`
}

interface Volume extends HostObject {
  spec?: { storageClassName?: string }
  status?: { phase?: string }
}

function isFree(object: HostObject, className = ''): boolean {
  return (
    isVolume(object) &&
    object.status?.phase === 'Available' &&
    (object.spec?.storageClassName ?? '') === className
  )
}

function isVolume(object: HostObject): object is Volume {
  return object.kind === 'PersistentVolume'
}

function createdAt({ metadata }: HostObject): string {
  const time = metadata['creationTimestamp']
  return typeof time === 'string' ? time : ''
}
