import { expect, test } from 'vitest'
import { choosePorts } from '../../../../src/drivers/local/store/choose-ports.ts'
import { isFree } from '../../../../src/shared/network/ports.ts'
import { rejectionOf } from '../../../support/thrown-by.ts'

test('chooses four different ports', async () => {
  const ports = await choosePorts(new Set())

  expect(Object.keys(ports)).toEqual(['etcdClient', 'etcdPeer', 'apiServer', 'controllerManager'])
  expect(new Set(Object.values(ports)).size).toBe(4)
})

test('chooses no port that a plane has, running or not', async () => {
  const all = Array.from({ length: 12_768 }, (_, index) => 20_000 + index)
  const taken = new Set(all.filter((port) => port % 8 !== 0))

  const ports = Object.values(await choosePorts(taken))

  expect(ports.filter((port) => taken.has(port))).toEqual([])
})

test('chooses the last free ports, and reports who has the others when there are too few', async () => {
  const all = Array.from({ length: 12_768 }, (_, index) => 20_000 + index)
  const free = await freeAmong(all.slice(0, 40), 4)
  const taken = new Set(all.filter((port) => !free.includes(port)))

  const ports = Object.values(await choosePorts(taken))
  const error = await rejectionOf(choosePorts(new Set(all)))

  expect(new Set(ports)).toEqual(new Set(free))
  expect(error.message).toMatch(
    /^no free ports between 20000 and \d+: control planes use 12768 of them$/,
  )
})

async function freeAmong(ports: readonly number[], count: number): Promise<number[]> {
  const areFree = await Promise.all(ports.map((port) => isFree(port)))
  return ports.filter((_, index) => areFree[index]).slice(0, count)
}
