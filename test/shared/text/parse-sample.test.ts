import { expect, test } from 'vitest'
import { formatMetrics } from '../../../src/shared/text/format-metrics.ts'
import { parseSample } from '../../../src/shared/text/parse-sample.ts'

test.for([
  ['up 1', { name: 'up', labels: {}, value: 1 }],
  [
    'bytes{member="etcd-0",of="x, y"} 1.5e+06',
    { name: 'bytes', labels: { member: 'etcd-0', of: 'x, y' }, value: 1_500_000 },
  ],
  ['at{} 2 1760000000000', { name: 'at', labels: {}, value: 2 }],
] as const)('reads %j', ([line, sample]) => {
  expect(parseSample(line)).toEqual(sample)
})

test('takes a comment for no sample', () => {
  expect(parseSample('# TYPE up gauge').name).toBe('')
})

test('reads what is written', () => {
  const labels = { plane: 'dev', component: 'etcd' }
  const text = formatMetrics([
    { name: 'up', type: 'gauge', help: 'It is.', samples: [{ labels, value: 1 }] },
  ])

  expect(text.trim().split('\n').map(parseSample).at(-1)).toEqual({ name: 'up', labels, value: 1 })
})
