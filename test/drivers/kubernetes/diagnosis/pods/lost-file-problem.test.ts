import { expect, test } from 'vitest'
import { lostFileProblem } from '../../../../../src/drivers/kubernetes/diagnosis/pods/lost-file-problem.ts'

const PLANE = { name: 'dev', namespace: 'team-a' }
const NO_FILE =
  '{"message":"Failed to ping database connection: unable to open database file (14)","severity":"error"}'

test('finds that kine waits for a file that its volume does not have', () => {
  expect(lostFileProblem([NO_FILE], PLANE)).toMatchObject({
    state: 'DataLost',
    reason: 'its data is lost: its volume has no file of sqlite',
    hints: [
      expect.objectContaining({ action: 'restore', plane: PLANE }),
      expect.stringContaining('from a backup'),
      expect.objectContaining({ action: 'delete' }),
    ],
    final: true,
  })
})

test('finds nothing in other lines, nor in what was before', () => {
  const available = '{"message":"Kine available at https://127.0.0.1:2379","severity":"info"}'

  expect(lostFileProblem([], PLANE)).toBeUndefined()
  expect(lostFileProblem([NO_FILE, available], PLANE)).toBeUndefined()
})
