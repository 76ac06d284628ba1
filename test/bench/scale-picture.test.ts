import { expect, test } from 'vitest'
import type { Result } from '../../bench/figure.ts'
import { scalePicture } from '../../bench/scale/scale-picture.ts'

const NAMES = [
  'scale-create',
  'scale-delete',
  'scale-space',
  'scale-list',
  'scale-list-selected',
  'scale-describe',
  'scale-keeper-rss',
  'scale-keeper-pss',
  'scale-keeper-cpu',
]

function resultOf(name: string): Result {
  const samples = { 1: [10, 30, 20], 10: [20], 1000: [300] }
  return {
    name,
    what: name,
    unit: 'ms',
    median: 300,
    compared: { as: 'value', value: 300, unit: 'ms' },
    samples,
  }
}

test('draws the median for each number of planes, on a logarithmic axis', () => {
  const picture = scalePicture(NAMES.map(resultOf))

  // The first chart begins at 72 and ends at 298; its highest line is 300.
  const [first = ''] = /<path d="[^"]+" fill/.exec(picture) ?? []
  expect(first).toBe('<path d="M72 178.1L147.3 178.1L298 68" fill')
  expect(picture.match(/<circle/g)).toHaveLength(3 * NAMES.length)
  expect(picture).toContain('>1,000</text>')
  expect(picture).not.toContain('NaN')
})

test('draws zeros and a single number of planes too', () => {
  const results = NAMES.map((name) => ({ ...resultOf(name), samples: { 1: [0] } }))

  expect(scalePicture(results)).not.toMatch(/NaN|Infinity/)
})

test('refuses results of something else', () => {
  expect(() => scalePicture([resultOf('create')])).toThrow('no result is called "scale-create"')
})
