/**
 * Flags of a plane of the preset ha that asks for half of the processors: beside it, and its pods that still end, planes of
 * other tests find room on the one small node.
 */
export const HA_FLAGS = [
  '--preset=ha',
  '--set=etcd.resources.requests.cpu=50m',
  '--set=apiServer.resources.requests.cpu=125m',
  '--set=controllerManager.resources.requests.cpu=25m',
]
