/** Runs what is ours in a host namespace: no image of ours has to exist. */
export const HELPER_IMAGE = 'docker.io/library/node:24-alpine'
