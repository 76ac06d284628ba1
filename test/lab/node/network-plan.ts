import { type AddressPlan, type NodePlan, POD_RANGE } from '../cluster/state/address-plan.ts'

/** The bridge in the first node's network that the machine and the other nodes are connected to. */
const BRIDGE = 'cluster'

/** The first node's end of the cable to the machine. */
const UPLINK = 'uplink'

/** What is done to one network to make it part of a cluster: lines for `ip -batch -`. */
export interface NetworkPlan {
  machine: string[]
  /** By node. */
  nodes: string[][]
}

/** What leaves a cluster does so under a node's address: nobody else knows the way to its pods. For `nft -f -`. */
export const MASQUERADE = `table ip vplane-lab {
  chain postrouting {
    type nat hook postrouting priority 101;
    ip saddr ${POD_RANGE} ip daddr != ${POD_RANGE} masquerade
  }
}
`

/**
 * How the networks of a cluster's nodes are connected with each other and with the machine: all of it lies within them
 * but for the machine's end of one cable. `holders` are processes in the networks, by node.
 */
export function networkPlan(plan: AddressPlan, holders: readonly number[]): NetworkPlan {
  const { machineAddress, machineInterface, prefixLength } = plan
  const [first, ...others] = plan.nodes
  return {
    machine: [
      `link add ${machineInterface} type veth peer name ${UPLINK} netns ${holders[0]}`,
      `address add ${machineAddress}/${prefixLength} dev ${machineInterface}`,
      `link set ${machineInterface} up`,
    ],
    nodes: [
      [
        `link add ${BRIDGE} type bridge`,
        ...portLines(UPLINK),
        ...others.flatMap(({ index }) => [
          `link add node${index} type veth peer name eth0 netns ${holders[index]}`,
          ...portLines(`node${index}`),
        ]),
        ...(first === undefined ? [] : addressLines(plan, first, BRIDGE)),
      ],
      ...others.map((node) => addressLines(plan, node, 'eth0')),
    ],
  }
}

function portLines(name: string): string[] {
  return [`link set ${name} master ${BRIDGE}`, `link set ${name} up`]
}

function addressLines(
  { machineAddress, nodes, prefixLength }: AddressPlan,
  { address, index }: NodePlan,
  device: string,
): string[] {
  return [
    'link set lo up',
    `address add ${address}/${prefixLength} dev ${device}`,
    `link set ${device} up`,
    `route add default via ${machineAddress}`,
    ...nodes
      .filter((other) => other.index !== index)
      .map((other) => `route add ${other.podRange} via ${other.address}`),
  ]
}
