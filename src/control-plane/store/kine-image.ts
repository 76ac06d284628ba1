import { KINE_VERSION } from './kine-version.ts'

/** Where kine's project publishes its images. */
export const KINE_REPOSITORY = 'docker.io/rancher/kine'

/**
 * The image of kine of its project for a release, the one that is built without cgo: it opens its file as the spec of a
 * plane says, and is the same program that vplane builds on a machine.
 */
export function kineImageOf({ kineVersion = KINE_VERSION }: { kineVersion?: string }): string {
  return `${KINE_REPOSITORY}:v${kineVersion}-nocgo`
}
