import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { Connections } from '../../src/gateway/connections.ts'

describe.for(['hold', 'pass'] as const)(
  'connections that are full of those that they %s',
  (verb) => {
    // Connections as SOURCE>PLANE in the order in which they come, and which of them are left: as many as there may be.
    test.for([
      ['keep those of one source that is alone', 'a>dev a>dev a>dev a>dev', '1110'],
      ['replace one of the source with the most', 'a>dev a>dev b>dev c>dev', '1011'],
      ['share what two sources have with a third one', 'a>dev a>dev b>x b>x c>x c>x', '111010'],
      ['replace none of others for the source with the most', 'b>x a>dev a>dev a>dev', '1110'],
      ['replace those of one source for one plane', 'b>x a>dev a>dev a>x a>dev a>y', '111101'],
      ['replace one of the plane with the most', 'a>dev b>dev c>dev d>x', '1101'],
      ['keep those that came before when all have as many', 'a>one b>two c>three d>four', '1110'],
    ] as const)('%s', ([, places, expected]) => {
      const limit = expected.replaceAll('0', '').length
      const connections = new Connections({ held: limit, passed: limit })
      const all = places.split(' ').map((place) => {
        const [source = '', plane = ''] = place.split('>')
        return { source, plane, socket: new Socket() }
      })

      const results = all.map((one) => connections[verb](one))

      const left = all.map(({ socket }, index) => Boolean(results[index]) && !socket.destroyed)
      expect(left.map(Number).join('')).toBe(expected)
    })
  },
)

test('have room again when one ends', async () => {
  const connections = new Connections({ held: 1, passed: 1 })
  const [one, other] = [
    { source: 'a', plane: 'dev', socket: new Socket() },
    { source: 'a', plane: 'dev', socket: new Socket() },
  ]
  const place = connections.hold(one)
  expect([connections.pass(one), connections.pass(other)]).toEqual([true, false])

  one.socket.destroy()
  place?.[Symbol.dispose]()

  await expect.poll(() => connections.isEmpty).toBe(true)
  expect(connections.pass(other)).toBe(true)
})
