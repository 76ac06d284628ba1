/**
 * The CNI configuration of a node: every pod has a cable to the node and a route through it. With a bridge, answers
 * between two pods of a node would not come by the node again, where their addresses are put back.
 */
export function cniConfig({ podRange }: { podRange: string }): string {
  const config = {
    cniVersion: '0.4.0',
    name: 'vplane-lab',
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: {
          type: 'host-local',
          dataDir: '/run/cni-addresses',
          ranges: [[{ subnet: podRange }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  }
  return `${JSON.stringify(config, null, 2)}\n`
}
