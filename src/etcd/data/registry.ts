import type { PlaneSpec } from '../../control-plane/spec/spec.ts'

/** The keys of one resource in etcd. */
export interface KeyRange {
  /** What all of them begin with. */
  folder: string
  from: Buffer
  to: Buffer
}

/** Where kube-apiserver stores the objects of a resource: `secrets`, or `stable.example.com/crontabs`. */
export function registryRange(
  { etcd: { prefix = '/registry' } }: Pick<PlaneSpec, 'etcd'>,
  resource: string,
): KeyRange {
  const folder = `${prefix}/${resource}/`
  // The least key after all that begin so.
  return { folder, from: Buffer.from(folder), to: Buffer.from(folder.replace(/\/$/, '0')) }
}
