/** Flags of a plane whose etcd and kube-apiserver hold much data in memory: presets are for smaller planes. */
export const ROOM_FOR_MUCH = ['etcd', 'apiServer'].flatMap((component) => [
  '--set',
  `${component}.resources.limits.memory=3Gi`,
])
