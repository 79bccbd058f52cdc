import { useId, useState } from 'preact/hooks';
import { Icon } from '../../../../ui/parts/icon.tsx';
import { ApiError } from '../../api/api-error.ts';
import { organizationId } from '../../api/organization.ts';
import { addressOf, post, remove } from '../../api/send.ts';
import type { Asset, ChangePage, Row } from '../../api/types.ts';
import { useAction } from '../../api/use-action.ts';
import { useRead } from '../../api/use-read.ts';
import { noteWrite } from '../../api/writes.ts';
import { actorWords } from '../../parts/changes.tsx';
import { TextArea } from '../../parts/field.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { faultOf } from '../../parts/problem-text.ts';
import { toast } from '../../parts/toast.tsx';
import { useLeaveGuard } from '../../parts/use-leave-guard.ts';
import { may } from '../../session/session.ts';
import { texts } from '../../texts/texts.ts';

/** The photo of an asset, and what people wrote about it. */
export function PhotoAndNotes({ asset }: { asset: Asset }) {
  return (
    <div class="asset-photo-and-notes">
      <Photo key={asset.id} asset={asset} />
      <Notes key={asset.id} asset={asset} />
    </div>
  );
}

function Photo({ asset: { id, name, deleted_at } }: { asset: Asset }) {
  const t = texts.value.asset;
  const { answer } = useRead<{ data: readonly Row<'GET /photos'>[] }>('/photos', { asset_id: id });
  const { run, isBusy, problem } = useAction();
  const photo = answer?.data[0];
  const mayEdit = may('operator');
  const mayChoose = mayEdit && deleted_at === null;
  const choose = (file: File) =>
    void run(async () => {
      await post(`/photos?asset_id=${id}`, await scaled(file));
      noteWrite('/changes');
    });
  const take = async () => {
    await remove(`/photos/${id}`);
    noteWrite('/changes');
    toast(t.photoRemoved);
  };
  if (answer === undefined || (photo === undefined && !mayChoose)) {
    return null;
  }
  return (
    <section class="card stack" aria-labelledby="photo">
      <h2 id="photo">{t.photo}</h2>
      {photo !== undefined && (
        <img
          class="asset-photo"
          alt={t.photoOf(name)}
          width={photo.width}
          height={photo.height}
          src={addressOf(`/photos/${id}`, { organization: organizationId.value, digest: photo.digest })}
        />
      )}
      {mayEdit && (
        <div class="buttons">
          {mayChoose && (
            <ChoosePhoto
              word={photo === undefined ? t.addPhoto : t.otherPhoto}
              isBusy={isBusy}
              onFile={choose}
            />
          )}
          {photo !== undefined && (
            <button type="button" class="small secondary" disabled={isBusy} onClick={() => void run(take)}>
              {t.removePhoto}
            </button>
          )}
        </div>
      )}
      {problem !== null && <ProblemNote problem={problem} />}
    </section>
  );
}

function ChoosePhoto({
  word,
  isBusy,
  onFile,
}: {
  word: string;
  isBusy: boolean;
  onFile: (file: File) => void;
}) {
  const id = useId();
  return (
    <>
      <label class="small secondary photo-choice" for={id}>
        <Icon name="upload" /> {word}
      </label>
      <input
        id={id}
        type="file"
        class="unseen"
        accept="image/*"
        disabled={isBusy}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) {
            onFile(file);
          }
          currentTarget.value = '';
        }}
      />
    </>
  );
}

/** Pixels of the longer side: enough for a screen, a tenth of what a telephone takes. */
const MOST_SIDE = 1_600;

/** Upright as its EXIF says, without it, and small enough to send. @throws ApiError if the browser cannot show it. */
async function scaled(file: Blob): Promise<Blob> {
  const image = await createImageBitmap(file).catch(() => null);
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (image === null || context === null) {
    throw new ApiError(400, 'validation_error', texts.value.asset.noImage);
  }
  const scale = Math.min(1, MOST_SIDE / Math.max(image.width, image.height));
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  // What is transparent would be black.
  context.fillStyle = 'white';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) =>
        blob === null
          ? reject(new ApiError(400, 'validation_error', texts.value.asset.noImage))
          : resolve(blob),
      'image/jpeg',
      0.85,
    ),
  );
}

const NOTES_SHOWN = 20;

/** Notes, the latest first. They stand in the change log, which forgets nothing. */
function Notes({ asset: { id, deleted_at } }: { asset: Asset }) {
  const t = texts.value.asset;
  const [note, setNote] = useState('');
  const { run, isBusy, problem } = useAction();
  const { answer } = useRead<ChangePage>('/changes', {
    ...{ resource_type: 'asset', resource_id: id, action: 'note', limit: NOTES_SHOWN },
  });
  useLeaveGuard(note.trim() !== '', ({ path }) => path[0] === 'asset' && path[1] === String(id));
  const mayWrite = may('operator') && deleted_at === null;
  const add = async () => {
    await post(`/assets/${id}/notes`, { note });
    setNote('');
    noteWrite('/changes');
  };
  if (answer === undefined || (answer.data.length === 0 && !mayWrite)) {
    return null;
  }
  return (
    <section class="card stack" aria-labelledby="notes">
      <h2 id="notes">{t.notes}</h2>
      {mayWrite && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void run(add);
          }}
        >
          <TextArea
            label={t.newNote}
            hint={t.noteHint}
            rows={2}
            maxLength={2_000}
            value={note}
            fault={faultOf(problem, 'note')}
            onValue={setNote}
          />
          {problem !== null && <ProblemNote problem={problem} shown={['note']} />}
          <div class="buttons">
            <button type="submit" class="small secondary" disabled={isBusy || note.trim() === ''}>
              {t.addNote}
            </button>
          </div>
        </form>
      )}
      <ul class="lines">
        {answer.data.map(({ id: change, at, actor, after }) => (
          <li key={change}>
            <div>
              <p class="asset-note">{String(after?.['note'] ?? '')}</p>
              <p class="hint">
                {actorWords(actor)} · <Instant at={at} />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
