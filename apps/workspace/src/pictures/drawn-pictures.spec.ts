import type { Scene } from '@plinth/rendering';
import { DrawnPictures } from './drawn-pictures';

const scene: Scene = {
  ...{ title: 'Sales', locale: 'en', timeZone: 'UTC', at: new Date(0), theme: 'light' },
  ...{ captions: [], widgets: [] },
};

describe(DrawnPictures.name, () => {
  const draw = jest.fn((drawn: Scene, format: string, { owner }: { owner: string }) =>
    Promise.resolve(Buffer.from(`${owner} ${format} ${drawn.title} ${drawn.at.getTime()}`)),
  );
  let pictures: DrawnPictures;
  beforeEach(() => {
    draw.mockClear();
    pictures = new DrawnPictures({ draw });
  });

  it('are drawn once for all who see the same, who hear that they are done', async () => {
    const onProgress = jest.fn();
    const first = await pictures.of(scene, 'png', { owner: '1' });
    expect(await pictures.of({ ...scene }, 'png', { owner: '1', onProgress })).toBe(first);
    expect(draw).toHaveBeenCalledTimes(1);
    expect(onProgress).toHaveBeenCalledWith(1, 1);
  });

  it.each<[string, Scene, 'png' | 'pdf', string]>([
    ['another tenant', scene, 'png', '2'],
    ['another format', scene, 'pdf', '1'],
    ['another time', { ...scene, at: new Date(60_000) }, 'png', '1'],
    ['other data', { ...scene, title: 'Costs' }, 'png', '1'],
  ])('are drawn anew for %s', async (_what, other, format, owner) => {
    await pictures.of(scene, 'png', { owner: '1' });
    const bytes = await pictures.of(other, format, { owner });
    expect(bytes.toString()).toBe(`${owner} ${format} ${other.title} ${other.at.getTime()}`);
  });

  it('that could not be drawn are tried again', async () => {
    draw.mockRejectedValueOnce(new Error('no'));
    await expect(pictures.of(scene, 'png', { owner: '1' })).rejects.toThrow('no');
    await expect(pictures.of(scene, 'png', { owner: '1' })).resolves.toBeDefined();
  });
});
