import { expect, test } from 'vitest'
import { readSpecReport } from './spec-report.ts'

test('reads the specs that ran, with what a failure says', () => {
  const spec = { ContainerHierarchyTexts: ['[sig-apps] Job', 'with a policy'], LeafNodeType: 'It' }
  const specs = [
    { ...spec, LeafNodeText: 'passes', State: 'passed' },
    { ...spec, LeafNodeText: 'fails', State: 'failed', Failure: { Message: 'no pod' } },
    { ...spec, LeafNodeText: 'is interrupted', State: 'interrupted' },
    { ...spec, LeafNodeText: 'is not selected', State: 'skipped' },
    { ...spec, LeafNodeText: 'is not written yet', State: 'pending' },
    {
      ContainerHierarchyTexts: null,
      LeafNodeType: 'BeforeSuite',
      LeafNodeText: '',
      State: 'failed',
    },
  ]

  expect(readSpecReport(JSON.stringify([{ SpecReports: specs }]))).toEqual([
    { name: '[sig-apps] Job with a policy passes', state: 'passed' },
    { name: '[sig-apps] Job with a policy fails', state: 'failed', message: 'no pod' },
    {
      name: '[sig-apps] Job with a policy is interrupted',
      state: 'failed',
      message: 'interrupted',
    },
  ])
})
