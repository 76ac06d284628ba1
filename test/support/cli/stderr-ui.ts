import type { Ui } from '../../../src/shared/ui.ts'

const PROGRESS_INTERVAL_MS = 10_000

/** A ui of lines on stderr; of progress one every ten seconds, as logs of a CI keep all of them. */
export function stderrUi(prefix: string): Ui {
  let progressAt = 0
  const say = (text: string) => {
    process.stderr.write(`${prefix}: ${text}\n`)
  }
  return {
    step: (text) => {
      progressAt = performance.now()
      say(text)
    },
    failStep: () => {},
    print: () => {},
    plan: () => {},
    progress: (detail) => {
      if (performance.now() - progressAt > PROGRESS_INTERVAL_MS) {
        progressAt = performance.now()
        say(detail)
      }
    },
    warn: say,
    note: say,
    confirm: () => Promise.resolve(false),
  }
}
