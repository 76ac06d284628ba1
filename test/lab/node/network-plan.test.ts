import { expect, test } from 'vitest'
import { addressPlan } from '../cluster/state/address-plan.ts'
import { networkPlan } from './network-plan.ts'

test('connects a single node with the machine', () => {
  expect(networkPlan(addressPlan('h1', 0, 1), [100])).toEqual({
    machine: [
      'link add vplane-lab1 type veth peer name uplink netns 100',
      'address add 10.99.1.1/24 dev vplane-lab1',
      'link set vplane-lab1 up',
    ],
    nodes: [
      [
        'link add cluster type bridge',
        'link set uplink master cluster',
        'link set uplink up',
        'link set lo up',
        'address add 10.99.1.10/24 dev cluster',
        'link set cluster up',
        'route add default via 10.99.1.1',
      ],
    ],
  })
})

test('connects further nodes with the first, and tells each the way to the pods of the others', () => {
  const { machine, nodes } = networkPlan(addressPlan('h1', 0, 3), [100, 101, 102])

  expect(machine).toHaveLength(3)
  expect(nodes[0]).toEqual([
    'link add cluster type bridge',
    'link set uplink master cluster',
    'link set uplink up',
    'link add node1 type veth peer name eth0 netns 101',
    'link set node1 master cluster',
    'link set node1 up',
    'link add node2 type veth peer name eth0 netns 102',
    'link set node2 master cluster',
    'link set node2 up',
    'link set lo up',
    'address add 10.99.1.10/24 dev cluster',
    'link set cluster up',
    'route add default via 10.99.1.1',
    'route add 10.244.1.0/24 via 10.99.1.11',
    'route add 10.244.2.0/24 via 10.99.1.12',
  ])
  expect(nodes[2]).toEqual([
    'link set lo up',
    'address add 10.99.1.12/24 dev eth0',
    'link set eth0 up',
    'route add default via 10.99.1.1',
    'route add 10.244.0.0/24 via 10.99.1.10',
    'route add 10.244.1.0/24 via 10.99.1.11',
  ])
})
