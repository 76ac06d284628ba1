import { expect, test } from 'vitest'
import { windowsProcessTable } from '../../../src/shared/processes/windows-process-table.ts'

test('tells a process by the time at which it started', () => {
  const scripts: string[] = []
  const table = windowsProcessTable((script) => {
    scripts.push(script)
    return '133772832000000000\r\n'
  })

  expect(table.startTimeOf(4711)).toBe('133772832000000000')
  expect(scripts).toEqual([expect.stringMatching(/^Get-Process -Id 4711 /)])
})

test('knows no time of a process that is gone', () => {
  expect(windowsProcessTable(() => '\r\n').startTimeOf(4711)).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('knows nothing without PowerShell', () => {
  expect(windowsProcessTable().startTimeOf(process.pid)).toBeUndefined()
})

test('needs no boot to tell processes apart, and finds none by what they were given', () => {
  const table = windowsProcessTable()

  expect(table.bootId()).toBe(table.bootId())
  expect(table.findByCommand(() => true)).toEqual([])
})
