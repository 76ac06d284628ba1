import type { PlaneSpec } from '../control-plane/spec.ts'

/** The keys of one resource in etcd. */
export interface KeyRange {
  /** What all of them begin with. */
  folder: string
  from: Buffer
  to: Buffer
}

/** Where kube-apiserver stores the objects of a resource: `secrets`, or `stable.example.com/crontabs`. */
export function registryRange(
  { apiServer }: Pick<PlaneSpec, 'apiServer'>,
  resource: string,
): KeyRange {
  const [root = '/registry'] = [apiServer.extraArgs['etcd-prefix'] ?? []].flat().slice(-1)
  const folder = `/${root.replaceAll(/^\/+|\/+$/g, '')}/${resource}/`
  // The least key after all that begin so.
  return { folder, from: Buffer.from(folder), to: Buffer.from(folder.replace(/\/$/, '0')) }
}
