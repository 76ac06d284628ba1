import { expect, test } from 'vitest'
import { kwokProcess } from './kwok-process.ts'

test('runs its own nodes alone, by the stages of its module, with no settings of anybody', () => {
  const folder = { root: '/lab/h1', kubeconfig: '/lab/h1/admin.kubeconfig' }

  const { command, env, name } = kwokProcess(folder, {
    program: '/bin/kwok',
    module: '/modules/kwok',
    group: 'abc',
  })

  expect(name).toBe('kwok-abc')
  expect(command).toContain('--kubeconfig=/lab/h1/admin.kubeconfig')
  expect(command).toContain('--manage-nodes-with-label-selector=vplane.dev/simulated-group=abc')
  expect(command).toContain('--config=/modules/kwok/kustomize/stage/pod/fast/pod-ready.yaml')
  expect(env).toEqual({ HOME: '/lab/h1' })
})
