/**
 * Flags of a plane of the preset ha that asks for half of the processors: beside it, and its pods that still end, planes of
 * other tests find room on the one small node.
 */
export const HA_FLAGS = [
  '--preset',
  'ha',
  ...['etcd=50m', 'apiServer=125m', 'controllerManager=25m'].flatMap((request) => [
    '--set',
    request.replace('=', '.resources.requests.cpu='),
  ]),
]
