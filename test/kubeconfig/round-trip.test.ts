import { KubeConfig } from '@kubernetes/client-node'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { removeContext } from '../../src/kubeconfig/contexts/remove-context.ts'
import { setContext } from '../../src/kubeconfig/contexts/set-context.ts'
import { sample } from './arbitrary-kubeconfig.ts'
import { embeddedEntry, execEntry } from './entries.ts'

const PLANES = ['dev', 'prod', 'test'] as const

const step = fc.record({
  plane: fc.constantFrom(...PLANES),
  action: fc.constantFrom('set', 'set-embedded', 'add', 'remove'),
})

test('connect and disconnect restore the identical text', () => {
  fc.assert(
    fc.property(sample, ({ text }) => {
      const connected = setContext(text, execEntry('dev'))

      expect(connected).not.toBe(text)
      expect(removeContext(connected, 'vplane_dev')).toBe(text)
    }),
    { numRuns: 300 },
  )
})

test('any number of planes, connected and disconnected in any order, leave the identical text', () => {
  const run = fc.record({
    start: sample,
    steps: fc.array(step, { maxLength: 8 }),
    end: fc.shuffledSubarray([...PLANES], { minLength: PLANES.length }),
  })
  fc.assert(
    fc.property(run, ({ end, start, steps }) => {
      const used = steps.reduce(take, start.text)

      const left = end.reduce((text, plane) => removeContext(text, `vplane_${plane}`), used)

      expect(left).toBe(start.text)
    }),
    { numRuns: 100 },
  )
})

test('connecting twice is connecting once', () => {
  fc.assert(
    fc.property(sample, ({ text }) => {
      const once = setContext(text, execEntry('dev'))

      expect(setContext(once, execEntry('dev'))).toBe(once)
    }),
  )
})

test('another reader finds the new context, and the others as they were', () => {
  fc.assert(
    fc.property(sample, ({ contexts, text }) => {
      const read = load(setContext(text, execEntry('dev')))

      expect(read.getCurrentContext()).toBe('vplane_dev')
      expect(read.getCurrentCluster()?.server).toBe('https://127.0.0.1:20443')
      expect(read.getContexts().map(({ name }) => name)).toEqual([...contexts, 'vplane_dev'])
    }),
  )
})

test('another reader finds the previous context current again after others were added and removed', () => {
  fc.assert(
    fc.property(sample, ({ contexts, current, text }) => {
      fc.pre(current !== undefined && contexts.includes(current))
      const both = setContext(setContext(text, execEntry('dev')), execEntry('prod'))

      expect(load(removeContext(both, 'vplane_prod')).getCurrentContext()).toBe('vplane_dev')
      expect(
        load(removeContext(removeContext(both, 'vplane_dev'), 'vplane_prod')).getCurrentContext(),
      ).toBe(current)
    }),
  )
  // Hundreds of kubeconfigs are parsed, which takes long on a busy machine.
}, 120_000)

function take(text: string, { action, plane }: { action: string; plane: string }): string {
  switch (action) {
    case 'remove':
      return removeContext(text, `vplane_${plane}`)
    case 'add':
      return setContext(text, execEntry(plane), { makeCurrent: false })
    case 'set-embedded':
      return setContext(text, embeddedEntry(plane))
    default:
      return setContext(text, execEntry(plane))
  }
}

/** js-yaml, which client-node reads with, knows no byte order mark. */
function load(text: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromString(text.replace(/^\uFEFF/, ''))
  return config
}
