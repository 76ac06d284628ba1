import type { Ui } from '../../../shared/ui.ts'

const MEBIBYTE = 1024 ** 2

/** The same bytes; what has come of them is shown beside the step. */
export async function* withProgress(
  bytes: AsyncIterable<Buffer>,
  { sizeBytes, ui }: { sizeBytes: number; ui: Pick<Ui, 'progress'> },
): AsyncGenerator<Buffer, void, void> {
  const total = (sizeBytes / MEBIBYTE).toFixed(1)
  let done = 0
  let said = ''
  for await (const chunk of bytes) {
    yield chunk
    done += chunk.length
    const detail = `${(done / MEBIBYTE).toFixed(1)} of ${total} MiB`
    if (detail !== said) {
      said = detail
      ui.progress(detail)
    }
  }
}
