import type { PlaneSpec } from './spec.ts'

/** Runs what is ours in a host namespace: no image of ours has to exist. */
export const HELPER_IMAGE = 'docker.io/library/node:24-alpine'

/**
 * The image that runs what is ours for a moment, such as what takes a snapshot: the one that the spec names for that, or
 * else for its syncer or its keeper, which its host can have.
 */
export function helperImageOf({ host }: Pick<PlaneSpec, 'host'>): string {
  const said = [host?.images.helper, host?.sync?.image, host?.keeper?.image]
  return said.find((image) => image !== undefined && image !== HELPER_IMAGE) ?? HELPER_IMAGE
}
