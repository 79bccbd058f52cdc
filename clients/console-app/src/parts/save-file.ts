export function saveFile(name: string, text: string): void {
  saveBlob(name, new Blob(['\ufeff', text], { type: 'text/csv' }));
}

export function saveBlob(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
